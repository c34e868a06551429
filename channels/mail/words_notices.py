"""What notices of absence and other automatic answers say of themselves, in the languages of the world. Lower case."""

from __future__ import annotations

from .phrases import phrases

AUTOMATIC = phrases(
    """
    this is an automated | this is an automatic | this is an auto-generated | this is an auto generated |
    this message was automatically | this message was created automatically |
    this message is automatically generated | this email was automatically |
    this email is automatically generated | this e-mail was automatically | this was sent automatically |
    do not reply to this | do not respond to this | replies to this address are not read |
    this mailbox is not monitored | please type your reply above this line | automatisch erstellt |
    automatisch generiert | automatisch versandt | automatisch versendet | automatisch erzeugt |
    dies ist eine automatische | automatische antwort auf ihre | antworten sie nicht auf diese |
    antworten sie nicht darauf | bitte nicht auf diese | réponse automatique à votre |
    ceci est un message automatique | ceci est une réponse automatique | message généré automatiquement |
    envoyé automatiquement | ne pas répondre à ce message | ne répondez pas à ce | ne pas répondre à cet |
    este es un mensaje automático | esta es una respuesta automática | generado automáticamente |
    enviado automáticamente | no responda a este | no responder a este | questa è una risposta automatica |
    messaggio automatico | generato automaticamente | generata automaticamente | inviato automaticamente |
    non rispondere a questa | non rispondere a questo | esta é uma resposta automática | mensagem automática |
    gerada automaticamente | enviada automaticamente | não responda a este | não responda a esta |
    favor não responder | automatisch gegenereerd | automatisch verzonden | dit is een automatisch |
    niet op deze e-mail te antwoorden | beantwoord deze e-mail niet | wygenerowana automatycznie |
    wysłana automatycznie | wygenerowano automatycznie | to jest automatyczna | prosimy na nią nie odpowiadać |
    prosimy nie odpowiadać na | automaticky vygenerovaná | automaticky generovaná | automaticky odeslaná |
    toto je automatická | neodpovídejte na tento | neodpovídejte na tuto | detta är ett automatiskt |
    automatiskt genererat | svara inte på detta | svara ej på detta | automatisk genereret |
    dette er en automatisk | dette er et automatisk | svar ikke på denne | besvar ikke denne |
    automatisk generert | ikke svar på denne | tämä on automaattinen | automaattisesti luotu |
    automaattisesti lähetetty | älä vastaa tähän | ez egy automatikus | automatikusan generált |
    automatikus üzenet | ne válaszoljon erre | acesta este un mesaj automat | acesta este un răspuns automat |
    generat automat | nu răspundeți la acest | bu otomatik | otomatik olarak oluşturulmuştur |
    otomatik olarak gönderilmiştir | bu e-postayı yanıtlamayın | bu iletiyi yanıtlamayın |
    αυτό είναι ένα αυτόματο | αυτοματοποιημένο μήνυμα | μην απαντήσετε σε αυτό | это автоматический ответ |
    это автоматическое | создано автоматически | сформировано автоматически | отправлено автоматически |
    не отвечайте на это | не отвечайте на него | це автоматична | це автоматичне | створено автоматично |
    сформовано автоматично | не відповідайте на | هذه رسالة تلقائية | هذا رد تلقائي | رسالة آلية | يرجى عدم الرد |
    لا ترد على هذه | זוהי הודעה אוטומטית | זהו מענה אוטומטי | הודעה זו נשלחה אוטומטית | אין להשיב להודעה |
    این یک پیام خودکار | این یک پاسخ خودکار | به این ایمیل پاسخ ندهید | यह एक स्वचालित |
    कृपया इस ईमेल का उत्तर न दें | 这是一封自动 | 系统自动发送 | 系统自动回复 | 本邮件由系统自动 |
    此邮件为系统自动 | 请勿直接回复 | 请勿回复 | 這是自動 | 系統自動 | 請勿直接回覆 | 請勿回覆 | 自動送信されて |
    自動返信メール | 自動的に送信 | このメールは自動 | 本メールは自動 | ご返信いただいても | 返信なさらない |
    자동으로 발송 | 자동 발송 | 자동 회신 메일 | 발신 전용 | 회신하지 마 | นี่เป็นข้อความอัตโนมัติ |
    ข้อความตอบกลับอัตโนมัติ | อีเมลนี้ถูกส่งโดยอัตโนมัติ | กรุณาอย่าตอบกลับ | đây là thư trả lời tự động |
    đây là email tự động | thư này được gửi tự động | vui lòng không trả lời | ini adalah balasan otomatis |
    ini adalah pesan otomatis | dibuat secara otomatis | dikirim secara otomatis | mohon tidak membalas |
    jangan membalas email ini | this is a receipt for the mail | this is a receipt for the message |
    dies ist eine empfangsbestätigung | ceci est un accusé de réception | este es un acuse de recibo |
    questa è una ricevuta | dit is een ontvangstbevestiging
    """
)
"""No person says this of what they write."""

AWAY = phrases(
    """
    out of the office | out of office | away from the office | away from my desk | limited access to email |
    limited access to e-mail | limited access to my email | no access to email | nicht im büro | nicht im hause |
    außer haus | bin im urlaub | im urlaub und | derzeit abwesend | abwesend bis | bin abwesend |
    nicht am arbeitsplatz | in elternzeit | ab dem wieder erreichbar | wieder für sie da | absent du bureau |
    absente du bureau | absent jusqu'au | absente jusqu'au | je suis en congé | je suis en congés |
    je suis en vacances | actuellement absent | actuellement absente | je serai absent | je serai absente |
    de retour le | fuera de la oficina | fuera de oficina | estoy de vacaciones | estaré ausente |
    me encuentro fuera | me encuentro de vacaciones | estaré fuera | fuori ufficio | sono in ferie |
    sarò in ferie | sono assente | sarò assente | fuori sede | fora do escritório | estou de férias |
    estarei de férias | estou ausente | estarei ausente | estarei fora | niet op kantoor | ben met vakantie |
    ben op vakantie | ben afwezig | met vakantie tot | poza biurem | jestem na urlopie | przebywam na urlopie |
    będę na urlopie | jestem nieobecny | jestem nieobecna | mimo kancelář | jsem na dovolené | nejsem v kanceláři |
    budu na dovolené | inte på kontoret | har semester | på semester till | är frånvarande | åter på kontoret |
    ikke på kontoret | jeg holder ferie | jeg er på ferie | er fraværende | har ferie | ute av kontoret |
    en ole toimistolla | olen lomalla | poissa toimistolta | lomalla asti | irodán kívül | nem vagyok az irodában |
    szabadságon vagyok | házon kívül vagyok | sunt în concediu | nu sunt la birou | în afara biroului |
    ofis dışındayım | ofiste değilim | tatildeyim | izindeyim | yıllık izindeyim | εκτός γραφείου |
    είμαι σε άδεια | θα είμαι σε άδεια | λείπω από το γραφείο | я в отпуске | нахожусь в отпуске | не в офисе |
    вне офиса | буду отсутствовать | отсутствую на рабочем | я у відпустці | перебуваю у відпустці | не в офісі |
    поза офісом | буду відсутній | буду відсутня | خارج المكتب | أنا في إجازة | في إجازة حتى | מחוץ למשרד |
    אני בחופשה | לא במשרד | איני נמצא במשרד | در مرخصی هستم | خارج از دفتر | छुट्टी पर हूँ | छुट्टी पर हूं |
    कार्यालय से बाहर | 不在办公室 | 正在休假 | 休假中 | 出差中 | 外出中 | 不在辦公室 | 請假中 | 不在にして |
    休暇をいただ | 休暇中 | 出張中 | 外出しており | 부재중 | 휴가 중 | 휴가중 | 출장 중 | 출장중 | 자리를 비우 |
    ไม่อยู่ที่สำนักงาน | ไม่อยู่ออฟฟิศ | ลาพักร้อน | อยู่ระหว่างการลา | không có mặt tại văn phòng | vắng mặt tại văn phòng |
    đang nghỉ phép | đang đi công tác | tôi đi công tác | sedang cuti | di luar kantor | tidak berada di kantor |
    on annual leave | on leave until | on vacation until | on holiday until | currently on leave |
    on parental leave | on maternity leave | on paternity leave | on sick leave | currently unavailable |
    not be checking my email | will reply on my return | will reply when i return | upon my return |
    when i am back in the office | no longer works | no longer working | no longer with the company |
    no longer employed | has left the company | your message has been received | your email has been received |
    we have received your | we will get back to you | nicht erreichbar | nicht im dienst | arbeitet nicht mehr |
    nicht mehr im unternehmen | wird nicht weitergeleitet | werden nicht weitergeleitet |
    ihre nachricht ist eingegangen | ihre anfrage ist eingegangen | actuellement en congé |
    actuellement en congés | en congés jusqu'au | en congé jusqu'au | en arrêt maladie | à mon retour |
    ne travaille plus | nous avons bien reçu votre | votre message a bien été reçu | estoy de baja |
    de baja hasta | de vacaciones hasta | a mi regreso | a mi vuelta | ya no trabaja | hemos recibido su |
    en mi ausencia | sarò fuori | accesso limitato | al mio rientro | non lavora più | abbiamo ricevuto la |
    estou de licença | no meu regresso | na minha ausência | já não trabalha | não trabalha mais |
    recebemos a sua | recebemos sua | ben er niet | niet bereikbaar | werkt niet meer | wij hebben uw bericht |
    we hebben je bericht | bij terugkomst | arbetar inte längre | er på ferie | på ferie til | har fri til |
    tilbage den | tilbake den | arbejder ikke længere | jobber ikke lenger | ei työskentele enää | nie ma mnie w |
    jestem poza | już nie pracuje | otrzymaliśmy państwa | mam dovolenou | nejsem v práci | již nepracuje |
    obdrželi jsme | na materskej | na rodičovské | буду в отпуске | в отпуске до | в отпуске с |
    больше не работает | ваше сообщение получено | більше не працює | izinde olacağım | artık çalışmıyor |
    mesajınız alınmıştır | már nem dolgozik | nu mai lucrează | δεν εργάζεται πλέον | 休みを取得 | お休みをいただ |
    休暇を取得 | 休業中 | 受け付けました | 受付いたしました | 已离职 | 已離職 | 已收到您的 | 已收到你的 |
    연차입니다 | 연차 중 | 휴가입니다 | 접수되었습니다 | لم يعد يعمل | تم استلام رسالت | אינו עובד | אינה עובדת |
    הודעתך התקבלה | आपका संदेश प्राप्त | ได้รับอีเมลของท่าน | không còn làm việc | đã nhận được email của |
    cuti sampai | sedang bercuti | tidak lagi bekerja | 正在休 | 产假中 | 病假中 | 産休中 | 育休中 |
    退職いたしました | 退職しました | 휴직 중 | 퇴사하였습니다 | 퇴사했습니다 | jestem na zwolnieniu |
    som na dovolenke | som na materskej | я на больничном | нахожусь на больничном | я в декрете |
    я в командировке | нахожусь в командировке | táppénzen vagyok | sono in malattia | sono in maternità |
    estou em férias | ben met verlof | är på semester | är föräldraledig | jag är sjukskriven |
    jag är tjänstledig | er på orlov | er på barsel | hun er på barsel | olen perhevapaalla |
    olen vanhempainvapaalla | olen sairauslomalla | ich bin im mutterschutz | на лікарняному до |
    đang nghỉ thai sản | אני בחופשת | मैं अवकाश पर | я на лікарняному | limited email access | limited access to |
    slow to respond | i'm ooo | am ooo | ooo until | out until | am travelling with | am traveling with |
    without access to | bin ich abwesend | bin ich nicht | d'ici là | ne sont pas lus | de retour au bureau |
    je serai de retour | sin acceso al correo | acceso al correo | volveré el | rientrerò il | al rientro |
    ben ik afwezig | wegens vakantie | ik ben terug op | bez dostępu do poczty | po powrocie będę |
    wracam do biura | čerpám dovolenou | po návratu | zpět v kanceláři | доступ к почте | вернусь в офис |
    戻り次第 | メールを確認でき | 目前出差 | 出差在外 | 回复您的邮件 | 无法及时回复 | 無法即時回覆 | 출장으로 |
    메일 확인이 어렵 | 복귀 후 | är ledig | läser inte mejl | läser inte mail | läser inte min e-post |
    er tilbage den | ofis dışında olacağım | okuyamıyorum | e-postalara erişim | sem acesso ao e-mail |
    regresso no dia | nem érem el a leveleimet | nu am acces la e-mail | δεν έχω πρόσβαση |
    a bien été enregistrée | a bien été enregistré | wurde erfasst | wurde registriert | ha sido registrada |
    è stata registrata | foi registada | foi registrado | is geregistreerd | has been logged |
    ticket has been created | has been opened under | zostało zarejestrowane | зарегистрирована |
    зарегистрировано | mailbox is full | postfach ist voll | to deliver your message |
    confirm that you are a person | confirm that you are human | verify that you are human | nicht am platz |
    wieder erreichbar | βρίσκομαι σε άδεια | απουσιάζω
    """
)
"""A person may say this beside an answer, but far more often a program does, and answers nothing."""

GREETING = phrases(
    """
    thank you for your email | thank you for your e-mail | thank you for your message | thanks for your email |
    thanks for your message | thank you for contacting | thanks for contacting | thank you for reaching out |
    danke für ihre nachricht | danke für ihre mail | danke für ihre e-mail | dank für ihre nachricht |
    dank für ihre e-mail | dank für ihre mail | dank für deine nachricht | merci pour votre message |
    merci de votre message | merci pour votre mail | merci pour votre e-mail | gracias por su correo |
    gracias por su mensaje | gracias por tu correo | gracias por tu mensaje | grazie per la tua |
    grazie per la sua | grazie per il messaggio | grazie per avermi | grazie per averci | obrigado pelo contato |
    obrigado pelo seu | obrigada pelo seu | obrigado pela sua | obrigado por entrar em | bedankt voor je bericht |
    bedankt voor uw bericht | bedankt voor uw e-mail | dank voor uw bericht | dank voor je bericht |
    tack för ditt mejl | tack för ditt mail | tack för ditt meddelande | tak for din mail |
    tak for din henvendelse | takk for din e-post | takk for e-posten | takk for henvendelsen |
    kiitos viestistäsi | kiitos sähköpostistasi | dziękuję za wiadomość | dziękujemy za wiadomość |
    dziękuję za maila | děkuji za vaši zprávu | děkujeme za váš e-mail | děkuji za váš e-mail | ďakujem za váš |
    спасибо за ваше письмо | спасибо за ваше сообщение | спасибо за обращение | благодарим за обращение |
    дякую за ваш лист | mesajınız için teşekkür | e-postanız için teşekkür | köszönöm az üzenet |
    köszönjük megkeresés | vă mulțumesc pentru mesaj | vă mulțumim pentru mesaj | ευχαριστώ για το μήνυμά |
    メールをいただき | ご連絡いただき | お問い合わせいただき | 感谢您的来信 | 感谢您的邮件 | 您的邮件已收到 |
    感謝您的來信 | 메일을 보내주셔서 | 메일 감사합니다 | 문의해 주셔서 | תודה על פנייתך | תודה על הודעתך |
    شكرا لرسالت | شكراً لرسالت | شكرا لتواصل | شكراً لتواصل
    """
)
"""How notices greet whoever has written."""

URGENT = phrases(
    """
    if it is urgent | if this is urgent | for urgent | in urgent cases | in case of emergency |
    if your matter is urgent | for anything urgent | please contact | you can contact | in dringenden |
    bei dringenden | in eiligen | wenden sie sich | kontaktieren sie | meine vertretung | in meiner abwesenheit |
    en cas d'urgence | pour toute urgence | veuillez contacter | merci de contacter | vous pouvez contacter |
    en caso de urgencia | para urgencias | para asuntos urgentes | puede contactar | póngase en contacto |
    in caso di urgenza | per urgenze | per le urgenze | per questioni urgenti | potete contattare |
    em caso de urgência | para assuntos urgentes | contacte | entre em contato | voor dringende | bij dringende |
    bij spoed | neem contact op | neem dan contact | vid brådskande | i brådskande | kontakta | ved hastesager |
    kontakt venligst | ta kontakt med | kiireellisissä | w pilnych | w sprawach pilnych | pilne sprawy |
    proszę o kontakt | v naléhavých | v urgentních | v prípade | kontaktujte | по срочным | в срочных |
    обращайтесь к | просьба обращаться | у термінових | acil durumlarda | acil konular | sürgős esetben |
    sürgős ügyben | în caz de urgență | pentru urgențe | για επείγοντα | 急ぎの場合 | お急ぎの | 緊急の |
    までご連絡 | 紧急 | 急事 | 如有急 | 緊急 | 急用 | 급한 용무 | 급한 경우 | 긴급 | 연락 주세요 | 연락 주시기 |
    בדחיפות | במקרים דחופים | للأمور العاجلة | في الحالات العاجلة
    """
)
"""How they go on: whom to ask in their writer's place. With a greeting this is a notice; alone a person may say it."""

BY_PROGRAM = phrases(
    """
    reacted via gmail | reacted to your message | hat über gmail reagiert | auf ihre nachricht reagiert |
    auf deine nachricht reagiert | a réagi via gmail | a réagi à votre message | a réagi à ton message |
    ha reaccionado a tu mensaje | ha reaccionado a su mensaje | reaccionó a tu mensaje | reaccionó a su mensaje |
    ha reaccionado a través de gmail | reaccionó a través de gmail | ha reagito al tuo messaggio |
    ha reagito al messaggio | ha reagito tramite gmail | reagiu à sua mensagem | reagiu à mensagem |
    reagiu via gmail | reagiu pelo gmail | heeft gereageerd op je bericht | heeft gereageerd op uw bericht |
    heeft gereageerd via gmail | reagerade på ditt meddelande | reagerade via gmail | reagerede på din besked |
    reagerede på din meddelelse | reagerte på meldingen | reagoi viestiisi | zareagował na twoją |
    zareagowała na twoją | zareagował(a) na | zareagoval na vaši | zareagovala na vaši | iletinize tepki verdi |
    gmail üzerinden tepki | отреагировал на ваше | отреагировала на ваше | отреагировал(а) на | reagált az üzenet |
    a reacționat la mesaj | αντέδρασε στο μήνυμά | メッセージにリアクション | gmail でリアクション |
    对你的邮件做出了回应 | 对您的邮件做出了 | 对你的消息做出了 | 對您的郵件做出 | 通过 gmail 做出回应 |
    메시지에 반응 | gmail을 통해 반응 | הגיב להודעה | הגיבה להודעה | تفاعل مع رسالت |
    diswould like to recall the message | möchte die nachricht | souhaite rappeler le message |
    désire rappeler le message | quiere recuperar el mensaje | desea recuperar el mensaje |
    vorrebbe richiamare il messaggio | desidera richiamare | gostaria de cancelar a mensagem |
    deseja cancelar a mensagem | wil het bericht intrekken | wil graag het bericht | vill återkalla meddelandet |
    ønsker at tilbagekalde | vil tilbakekalle | haluaa peruuttaa viestin | chce odwołać wiadomość |
    chce zpráva odvolat | chce odvolat zprávu | iletiyi geri çekmek | хочет отозвать сообщение |
    メッセージを取り消し | 想撤回邮件 | 希望撤回 | 메시지를 회수 | has accepted this invitation |
    has declined this invitation | has accepted your invitation | has declined your invitation |
    has tentatively accepted | hat die einladung angenommen | hat ihre einladung angenommen |
    hat diese einladung angenommen | a accepté l'invitation | a accepté votre invitation |
    ha aceptado la invitación | ha aceptado esta invitación | ha accettato l'invito | ha accettato questo invito |
    aceitou o convite | aceitou este convite | heeft de uitnodiging geaccepteerd |
    heeft deze uitnodiging geaccepteerd | har accepterat inbjudan | har accepteret invitationen |
    har godtatt invitasjonen | zaakceptował zaproszenie | przyjął zaproszenie | přijal pozvánku |
    принял приглашение | принял(а) приглашение | daveti kabul etti | 招待を承諾 | 已接受邀请 | 接受了邀请 |
    초대를 수락
    """
)
"""What mail programs write in a person's name: reactions, recalls, answers to invitations."""

TAPBACKS = phrases(
    """
    liked | loved | disliked | laughed at | emphasized | emphasised | questioned | reacted to | a aimé | a adoré |
    aime | le gustó a | le gustó | le encantó | gefällt | mi piace | ha messo mi piace a | gostou de | adorou |
    vond leuk | gillade | syntes godt om | likte | tykkäsi | polubił | líbí se | beğendi | понравилось |
    「いいね」しました
    """
)
"""How a phone says so, before the words in quotation marks that somebody tapped."""
