"""What notices of absence and other automatic answers say of themselves, in the languages of the world. Lower case."""

from __future__ import annotations

from .phrases import phrases

AUTOMATIC = phrases(
    """
    this is an automated | this is an automatic | this is an auto-generated | this is an auto generated |
    this message was automatically | this message was created automatically |
    this message is automatically generated | this email was automatically | this email is automatically generated |
    this e-mail was automatically | this was sent automatically | do not reply to this | do not respond to this |
    replies to this address are not read | this mailbox is not monitored | please type your reply above this line |
    automatisch erstellt | automatisch generiert | automatisch versandt | automatisch versendet |
    automatisch erzeugt | dies ist eine automatische | automatische antwort auf ihre |
    antworten sie nicht auf diese | antworten sie nicht darauf | bitte nicht auf diese |
    réponse automatique à votre | ceci est un message automatique | ceci est une réponse automatique |
    message généré automatiquement | envoyé automatiquement | ne pas répondre à ce message | ne répondez pas à ce |
    ne pas répondre à cet | este es un mensaje automático | esta es una respuesta automática |
    generado automáticamente | enviado automáticamente | no responda a este | no responder a este |
    questa è una risposta automatica | messaggio automatico | generato automaticamente | generata automaticamente |
    inviato automaticamente | non rispondere a questa | non rispondere a questo | esta é uma resposta automática |
    mensagem automática | gerada automaticamente | enviada automaticamente | não responda a este |
    não responda a esta | favor não responder | automatisch gegenereerd | automatisch verzonden |
    dit is een automatisch | niet op deze e-mail te antwoorden | beantwoord deze e-mail niet |
    wygenerowana automatycznie | wysłana automatycznie | wygenerowano automatycznie | to jest automatyczna |
    prosimy na nią nie odpowiadać | prosimy nie odpowiadać na | automaticky vygenerovaná | automaticky generovaná |
    automaticky odeslaná | toto je automatická | neodpovídejte na tento | neodpovídejte na tuto |
    detta är ett automatiskt | automatiskt genererat | svara inte på detta | svara ej på detta |
    automatisk genereret | dette er en automatisk | dette er et automatisk | svar ikke på denne |
    besvar ikke denne | automatisk generert | ikke svar på denne | tämä on automaattinen | automaattisesti luotu |
    automaattisesti lähetetty | älä vastaa tähän | ez egy automatikus | automatikusan generált |
    automatikus üzenet | ne válaszoljon erre | acesta este un mesaj automat | acesta este un răspuns automat |
    generat automat | nu răspundeți la acest | bu otomatik | otomatik olarak oluşturulmuştur |
    otomatik olarak gönderilmiştir | bu e-postayı yanıtlamayın | bu iletiyi yanıtlamayın | αυτό είναι ένα αυτόματο |
    αυτοματοποιημένο μήνυμα | μην απαντήσετε σε αυτό | это автоматический ответ | это автоматическое |
    создано автоматически | сформировано автоматически | отправлено автоматически | не отвечайте на это |
    не отвечайте на него | це автоматична | це автоматичне | створено автоматично | сформовано автоматично |
    не відповідайте на | هذه رسالة تلقائية | هذا رد تلقائي | رسالة آلية | يرجى عدم الرد | لا ترد على هذه |
    זוהי הודעה אוטומטית | זהו מענה אוטומטי | הודעה זו נשלחה אוטומטית | אין להשיב להודעה | این یک پیام خودکار |
    این یک پاسخ خودکار | به این ایمیل پاسخ ندهید | यह एक स्वचालित | कृपया इस ईमेल का उत्तर न दें | 这是一封自动 |
    系统自动发送 | 系统自动回复 | 本邮件由系统自动 | 此邮件为系统自动 | 请勿直接回复 | 请勿回复 | 這是自動 |
    系統自動 | 請勿直接回覆 | 請勿回覆 | 自動送信されて | 自動返信メール | 自動的に送信 | このメールは自動 |
    本メールは自動 | ご返信いただいても | 返信なさらない | 자동으로 발송 | 자동 발송 | 자동 회신 메일 | 발신 전용 |
    회신하지 마 | นี่เป็นข้อความอัตโนมัติ | ข้อความตอบกลับอัตโนมัติ | อีเมลนี้ถูกส่งโดยอัตโนมัติ |
    กรุณาอย่าตอบกลับ | đây là thư trả lời tự động | đây là email tự động | thư này được gửi tự động |
    vui lòng không trả lời | ini adalah balasan otomatis | ini adalah pesan otomatis | dibuat secara otomatis |
    dikirim secara otomatis | mohon tidak membalas | jangan membalas email ini
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
    me encuentro fuera | me encuentro de vacaciones | estaré fuera | fuori ufficio | sono in ferie | sarò in ferie |
    sono assente | sarò assente | fuori sede | fora do escritório | estou de férias | estarei de férias |
    estou ausente | estarei ausente | estarei fora | niet op kantoor | ben met vakantie | ben op vakantie |
    ben afwezig | met vakantie tot | poza biurem | jestem na urlopie | przebywam na urlopie | będę na urlopie |
    jestem nieobecny | jestem nieobecna | mimo kancelář | jsem na dovolené | nejsem v kanceláři | budu na dovolené |
    inte på kontoret | har semester | på semester till | är frånvarande | åter på kontoret | ikke på kontoret |
    jeg holder ferie | jeg er på ferie | er fraværende | har ferie | ute av kontoret | en ole toimistolla |
    olen lomalla | poissa toimistolta | lomalla asti | irodán kívül | nem vagyok az irodában | szabadságon vagyok |
    házon kívül vagyok | sunt în concediu | nu sunt la birou | în afara biroului | ofis dışındayım |
    ofiste değilim | izindeyim | tatildeyim | yıllık izindeyim | εκτός γραφείου | είμαι σε άδεια |
    θα είμαι σε άδεια | λείπω από το γραφείο | я в отпуске | нахожусь в отпуске | не в офисе | вне офиса |
    буду отсутствовать | отсутствую на рабочем | я у відпустці | перебуваю у відпустці | не в офісі | поза офісом |
    буду відсутній | буду відсутня | خارج المكتب | أنا في إجازة | في إجازة حتى | מחוץ למשרד | אני בחופשה |
    לא במשרד | איני נמצא במשרד | در مرخصی هستم | خارج از دفتر | छुट्टी पर हूँ | छुट्टी पर हूं | कार्यालय से बाहर |
    不在办公室 | 正在休假 | 休假中 | 出差中 | 外出中 | 不在辦公室 | 請假中 | 不在にして | 休暇をいただ | 休暇中 |
    出張中 | 外出しており | 부재중 | 휴가 중 | 휴가중 | 출장 중 | 출장중 | 자리를 비우 | ไม่อยู่ที่สำนักงาน |
    ไม่อยู่ออฟฟิศ | ลาพักร้อน | อยู่ระหว่างการลา | không có mặt tại văn phòng | vắng mặt tại văn phòng |
    đang nghỉ phép | đang đi công tác | tôi đi công tác | sedang cuti | di luar kantor | tidak berada di kantor
    """
)
"""A person may say this beside an answer, but far more often a program does, and answers nothing."""
