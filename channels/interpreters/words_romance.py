"""The words of French, Spanish, Italian and Portuguese."""

from __future__ import annotations

from .lexicon import Kind, Language, language

_FRENCH = language(
    "fr",
    {
        Kind.YES: "oui | ouais",
        Kind.APPROVE: """d'accord | je suis d'accord | approuvé | approuvée | approuve | j'approuve | approuver
            | approuvez | c'est approuvé | est approuvé | validé | validée | valide | je valide | valider
            | validez | c'est validé | accepté | acceptée | j'accepte | accepter | acceptez | accordé | accordée
            | autorisé | autorisée | j'autorise | autoriser | autorisez | allez-y | vas-y | vous pouvez y aller
            | tu peux y aller | bon pour accord | bon pour moi | c'est bon pour moi | ok pour moi | oui pour moi
            | feu vert | pas de problème | aucun problème | sans problème | pas d'objection | pas d'objections
            | aucune objection | sans objection | je n'ai pas d'objection | je n'ai aucune objection
            | rien contre | je n'ai rien contre | confirmé | je confirme | je ne m'y oppose pas
            | je n'y vois pas d'inconvénient | pas d'inconvénient
            | je donne mon accord | vous avez mon accord | tu as mon accord | c'est ok pour moi | ok de ma
            part | je suis pour | faites-le | fais-le""",
        Kind.NO: "non | nan",
        Kind.REJECT: """refusé | refusée | refuse | je refuse | refuser | refusez | rejeté | rejetée | rejette | je
            rejette | rejeter | rejetez | décliné | déclinée | décline | je décline | décliner | interdit
            | non validé | non validée | non approuvé | non approuvée | non autorisé | je m'oppose | je m'y
            oppose | désapprouvé | je désapprouve
            | c'est non | ce n'est pas possible | ce n'est pas acceptable | je suis contre | je m'y refuse
            | plutôt non | plutôt pas""",
        Kind.NEGATION: "pas | jamais | aucun | aucune | point | rien | ni",
        Kind.ACT: """validation | approbation | accord | autorisation | accepte | autorise
            | permets | permettre | confirme | confirmer | permission""",
        Kind.FILL: """s'il vous plaît | s'il vous plait | s'il te plaît | s'il te plait | svp | stp | merci
            | merci beaucoup | merci bien | bonjour | bonsoir | salut | cher | chère | le | la | l' | les | ce | cet
            | cette | ça | cela | celui-ci | celle-ci | je | j' | nous | de | d' | du | pour moi | de ma part
            | de mon côté | désolé | désolée | bonne journée | ma réponse | pour
            | bon week-end | bonne soirée | bon après-midi | par la présente""",
        Kind.SURE: """bien sûr | évidemment | parfait | très bien | super | volontiers | avec plaisir | génial
            | c'est bon | ça marche | bien | naturellement""",
        Kind.EMPHASIS: "absolument | vraiment | certainement | totalement | tout à fait | du tout | surtout",
        Kind.AUXILIARY: """merci pour | merci de | merci beaucoup pour | ne | n' | est | c' | c'est | suis
            | sont | être | ai | a | avez | ont | avoir | peux | peut | pouvez | puis | pouvoir | veux | veut
            | voulez | vais | va | aller | allez | dois | doit | faut | il | elle | on | vous | tu | m' | me | y
            | à | au | en | sera | serait | pourrait | pourrais | voudrais""",
        Kind.REGRET: "malheureusement | hélas | je regrette",
        Kind.BUT: """mais | si | s' | sauf | cependant | toutefois | pourtant | sinon | à condition | sous réserve
            | attendez | attends | plutôt | à moins""",
        Kind.LIMIT: """seulement | uniquement | juste | que | qu' | maximum | max | au maximum | au plus | jusqu'à
            | pas plus de | limité à | à hauteur de | rien que
            | dans la limite de | jusqu'à concurrence de | à concurrence de | à hauteur maximale de""",
        Kind.HALF: "la moitié | moitié | à moitié | la moitié du montant",
        Kind.CONDITION: """plus tard | après | avant | quand | lorsque | dès que | une fois | peut-être
            | peut être | demain | aujourd'hui | hier | bientôt | sans doute | probablement | pense | crois
            | en partie | partiellement | presque | lundi | mardi | mercredi | jeudi | vendredi | samedi
            | dimanche | semaine | mois | jour | maintenant | encore | d'abord | plus | autre | bof
            | je ne suis pas autorisé | je ne suis pas autorisée | je suis pas autorisé | je n'ai pas
            l'autorisation | droit""",
        Kind.BECAUSE: "car | parce que | parce qu' | puisque | sans | tant que | à cause | vu que | jusqu'à ce que",
        Kind.EACH: "les deux | aux deux | pour les deux | tous les deux | tout | tous | à tout | toutes",
        Kind.FIRST: "premier | première | le premier | la première | 1er | 1re",
        Kind.SECOND: "deuxième | second | seconde | le deuxième | la deuxième | le second | la seconde",
        Kind.THIRD: "troisième | le troisième | la troisième",
    },
    nouns="remboursement paiement commande facture demande virement montant",
    lone="jamais",
    denials="""pas question | hors de question | en aucun cas | surtout pas | absolument pas | certainement pas
        | pas du tout | plutôt non | plutôt pas""",
    sign_offs="""cordialement | bien cordialement | salutations | cdt | bien à vous | merci | merci d'avance
        | sincères salutations | bonne journée""",
    negates_backwards=True,
)

_SPANISH = language(
    "es",
    {
        Kind.YES: "sí | vale",
        Kind.APPROVE: """aprobado | aprobada | apruebo | lo apruebo | la apruebo | yo apruebo | aprobar
            | aprueba | apruebe | apruébalo | apruébelo | apruébela | queda aprobado | está aprobado
            | autorizado | autorizada | autorizo | lo autorizo | autorizar | autorice | de acuerdo
            | estoy de acuerdo | adelante | procede | proceda | proceder | puede proceder | puedes proceder
            | sin problema | sin problemas | ningún problema | no hay problema | no hay ningún problema
            | sin objeciones | sin objeción | no tengo objeciones | no tengo ninguna objeción | ninguna objeción
            | no hay objeciones | nada en contra | no tengo nada en contra | me parece bien | por mí bien
            | por mí está bien | aceptado | aceptada | acepto | confirmado | confirmo | lo confirmo | concedido
            | no me opongo | visto bueno
            | tienes mi aprobación | tiene mi aprobación | tienes mi visto bueno | tiene mi visto bueno
            | tienes mi ok | puedes hacerlo | puede hacerlo | hazlo | hágalo | dale | me parece perfecto | por
            mí ok
            | no tengo inconveniente | ningún inconveniente | sin inconveniente | conforme | estoy conforme""",
        Kind.NO: "no | nop",
        Kind.REJECT: """rechazado | rechazada | rechazo | lo rechazo | la rechazo | rechazar | rechaza | rechace
            | rechácelo | recházalo | denegado | denegada | denegar | deniego | deniegue | desaprobado
            | desapruebo | prohibido | me niego | me opongo | negado
            | no lo hagas | no lo haga | no procedas | no proceda | mejor no | mejor que no | prefiero que no
            | estoy en contra""",
        Kind.NEGATION: "nunca | jamás | ningún | ninguna | tampoco | nada | ni",
        Kind.ACT: """aprobación | autorización | permiso | permitir | permito | acuerdo | consentimiento | autorizamos
            | aprobarlo | aprobarla | autorizarlo | autorizarla | aceptarlo | aceptarla | aceptar""",
        Kind.FILL: """por favor | porfa | gracias | muchas gracias | mil gracias | hola | buenos días | buenas tardes
            | buenas noches | buenas | estimado | estimada | el | la | lo | los | este | esta | esto | eso | ese | esa
            | yo | de | del | por mi parte | de mi parte | para mí | lo siento | saludos | buen día | mi respuesta
            | mi respuesta es | para
            | buen fin de semana | feliz día | por la presente""",
        Kind.SURE: """claro | claro que sí | por supuesto | perfecto | muy bien | bien | genial | desde luego
            | está bien""",
        Kind.EMPHASIS: "absolutamente | definitivamente | totalmente | realmente | completamente",
        Kind.AUXILIARY: """gracias por | muchas gracias por | puedo | puede | puedes | podemos | podría | quiero
            | quiere | debe | debo | voy | va | vamos | a | al | está | es | estoy | ser | se | le | me | te
            | he | ha | hay | tengo | que sea | usted | tú | en""",
        Kind.REGRET: "lamentablemente | desgraciadamente | por desgracia | me temo que",
        Kind.BUT: """pero | si | salvo | excepto | aunque | sino | siempre que | a menos que | sin embargo
            | en lugar de | espera | espere | mejor""",
        Kind.LIMIT: """solo | sólo | solamente | únicamente | máximo | max | como máximo | hasta | no más de | apenas
            | a lo sumo | limitado a
            | hasta un máximo de | por un máximo de | con un máximo de | con un tope de""",
        Kind.HALF: "la mitad | mitad | la mitad del importe | la mitad del monto",
        Kind.CONDITION: """después | luego | antes | cuando | mientras | primero | quizá | quizás | tal vez
            | mañana | hoy | ayer | pronto | posiblemente | probablemente | creo | supongo | en parte
            | parcialmente | casi | lunes | martes | miércoles | jueves | viernes | sábado | domingo | semana
            | mes | día | ahora | todavía | aún | una vez | otro | otra | más tarde | depende
            | no estoy autorizado | no estoy autorizada | no tengo autorización | no tengo permiso""",
        Kind.BECAUSE: "porque | ya que | pues | hasta que | sin | debido | por falta",
        Kind.EACH: """ambos | ambas | a ambos | a ambas | los dos | las dos | a los dos | todo | todos | a todo
            | a todos""",
        Kind.FIRST: "primera | el primero | la primera | 1º",
        Kind.SECOND: "segundo | segunda | el segundo | la segunda | 2º",
        Kind.THIRD: "tercero | tercera | el tercero | la tercera | 3º",
    },
    nouns="reembolso devolución pago pedido factura solicitud transferencia importe orden",
    lone="nunca jamás",
    denials="""de ninguna manera | de ningún modo | ni hablar | en absoluto | para nada | ni de broma | mejor no
        | mejor que no | prefiero que no""",
    sign_offs="""saludos | un saludo | saludos cordiales | cordialmente | atentamente | gracias | muchas gracias
        | un cordial saludo""",
    has_negating_no=True,
)

_ITALIAN = language(
    "it",
    {
        Kind.YES: "sì",
        Kind.APPROVE: """approvo | lo approvo | la approvo | l'approvo | approvato | approvata | approva | approvare
            | approvate | è approvato | autorizzo | lo autorizzo | autorizzato | autorizzata | autorizzare | va bene
            | per me va bene | mi va bene | d'accordo | sono d'accordo | procedi | proceda | procedete | procedere
            | può procedere | puoi procedere | nessun problema | non c'è problema | nessuna obiezione
            | nessun'obiezione | non ho obiezioni | senza problemi | nulla in contrario | niente in contrario
            | non ho nulla in contrario | confermo | confermato | confermata | accettato | accettata | accetto
            | concesso | vai pure | vada pure | nulla osta
            | hai il mio ok | ha il mio ok | hai la mia approvazione | ha la mia approvazione | procedi pure
            | proceda pure | procedete pure | fai pure | faccia pure | per me ok""",
        Kind.NO: "no",
        Kind.REJECT: """rifiuto | rifiutato | rifiutata | rifiuta | rifiutare | lo rifiuto | respinto | respinta
            | respingo | respingere | lo respingo | negato | negata | nego | vietato | disapprovo | mi oppongo
            | bocciato | bocciata
            | meglio di no | preferirei di no | sono contrario | sono contraria | non procedere | non
            procedete""",
        Kind.NEGATION: "non | mai | nessun | nessuna | niente | nulla | né | neanche | nemmeno",
        Kind.ACT: """approvazione | autorizzazione | permesso | permettere | permetto | consenso | benestare
            | accordo | bene""",
        Kind.FILL: """per favore | per piacere | prego | grazie | grazie mille | molte grazie | buongiorno
            | buonasera | salve | ciao | gentile | il | lo | la | l' | questo | questa | quello | quella | ciò
            | io | noi | di | del | da parte mia | per me | per quanto mi riguarda | mi dispiace | spiacente
            | buona giornata | la mia risposta | la mia risposta è | per
            | buon weekend | buon fine settimana | buona serata | con la presente""",
        Kind.SURE: "certo | certamente | ovviamente | naturalmente | perfetto | volentieri | ottimo | benissimo",
        Kind.EMPHASIS: "assolutamente | davvero | totalmente | completamente | senz'altro",
        Kind.AUXILIARY: """grazie per | grazie di | grazie mille per | posso | può | puoi | possiamo | potrei
            | potrebbe | voglio | vuole | devo | deve | vado | va | vada | è | sono | essere | ho | ha | si | ci
            | mi | c' | ti | a | al | lei | tu | ancora | sarà | in""",
        Kind.REGRET: "purtroppo",
        Kind.BUT: """ma | se | però | tranne | salvo | eccetto | purché | a meno che | tuttavia | altrimenti | invece
            | aspetta | aspetti | a condizione""",
        Kind.LIMIT: """solo | soltanto | solamente | unicamente | massimo | max | al massimo | fino a | non più di
            | appena | al più | limitato a
            | fino a un massimo di | fino ad un massimo di | per un massimo di | con un massimo di""",
        Kind.HALF: "la metà | metà | a metà | la metà dell'importo",
        Kind.CONDITION: """dopo | poi | prima | quando | appena possibile | forse | magari | domani | oggi
            | ieri | presto | probabilmente | credo | penso | in parte | parzialmente | quasi | lunedì | martedì
            | mercoledì | giovedì | venerdì | sabato | domenica | settimana | mese | giorno | adesso | ora
            | più tardi | una volta | altro | altra | dipende | boh
            | non sono autorizzato | non sono autorizzata | non ho l'autorizzazione | non ho il permesso""",
        Kind.BECAUSE: "perché | poiché | siccome | finché | senza | a causa | dato che | visto che",
        Kind.EACH: """entrambi | entrambe | a entrambi | a entrambe | tutti e due | tutte e due | tutto | tutti
            | a tutti""",
        Kind.FIRST: "primo | il primo | la prima",
        Kind.SECOND: "secondo | seconda | il secondo | la seconda",
        Kind.THIRD: "terzo | terza | il terzo | la terza",
    },
    nouns="rimborso pagamento ordine fattura richiesta bonifico importo",
    lone="mai",
    denials="""neanche per sogno | non se ne parla | in nessun caso | niente affatto | assolutamente no | mai e poi
        mai | meglio di no | preferirei di no""",
    sign_offs="""saluti | cordiali saluti | distinti saluti | un saluto | grazie | grazie mille | cordialmente
        | un cordiale saluto""",
)

_PORTUGUESE = language(
    "pt",
    {
        Kind.YES: "sim",
        Kind.APPROVE: """aprovo | eu aprovo | aprovado | aprovada | aprovar | aprove | pode aprovar | podem aprovar
            | está aprovado | autorizo | eu autorizo | autorizado | autorizada | autorizar | pode autorizar
            | de acordo | estou de acordo | concordo | eu concordo | pode prosseguir | pode seguir | prossiga
            | pode avançar | pode proceder | sem problema | sem problemas | nenhum problema | não há problema
            | não tem problema | sem objeções | sem objeção | nenhuma objeção | não tenho objeções
            | não tenho nada contra | nada contra | nada a opor | confirmo | confirmado | confirmada | aceito
            | por mim tudo bem | não me oponho
            | pode fazer | podes avançar | tem a minha aprovação | tens a minha aprovação | tem o meu ok
            | tudo bem por mim""",
        Kind.NO: "não | nao",
        Kind.REJECT: """rejeito | rejeitado | rejeitada | rejeitar | rejeite | recuso | recusado | recusada | recusar
            | recuse | negado | negada | negar | indeferido | reprovado | reprovada | desaprovo | proibido | me
            oponho | vetado
            | melhor não | prefiro que não | sou contra | não faça | não avance""",
        Kind.NEGATION: "nunca | jamais | nenhum | nenhuma | nem | nada",
        Kind.ACT: """aprovação | autorização | permissão | permitir | permito | acordo | consentimento | aceitar
            | autorizamos""",
        Kind.FILL: """por favor | obrigado | obrigada | muito obrigado | muito obrigada | grato | grata | olá | oi
            | bom dia | boa tarde | boa noite | prezado | prezada | caro | cara | o | este | esta | isto | isso | esse
            | essa | eu | nós | de | do | da | da minha parte | por mim | para mim | pela minha parte | desculpe
            | lamento | a minha resposta | minha resposta | para
            | bom fim de semana | bom fim-de-semana
            | com isso""",
        Kind.SURE: """claro | claro que sim | com certeza | certo | perfeito | ótimo | tudo bem | muito bem
            | está bem | bem""",
        Kind.EMPHASIS: "absolutamente | definitivamente | totalmente | realmente | completamente | certamente",
        Kind.AUXILIARY: """obrigado por | obrigada por | obrigado pela | obrigado pelo | posso | pode | podemos
            | podem | poderia | quero | quer | deve | devo | vou | vai | vamos | a | à | está | é | estou | ser
            | me | te | tenho | tem | há | ainda | ao | você | em | que seja | seria""",
        Kind.REGRET: "infelizmente | lamentavelmente",
        Kind.BUT: """mas | se | porém | exceto | salvo | desde que | a menos que | contudo | senão | embora
            | caso | espere | espera | em vez""",
        Kind.LIMIT: """só | somente | apenas | unicamente | máximo | max | no máximo | até | não mais de
            | não mais que | limitado a
            | até um máximo de | até ao máximo de | com um máximo de""",
        Kind.HALF: "metade | a metade | pela metade | metade do valor | a metade do valor",
        Kind.CONDITION: """depois | antes | quando | enquanto | primeiro | talvez | amanhã | hoje | ontem | em breve
            | provavelmente | acho | creio | em parte | parcialmente | quase | segunda-feira | terça-feira
            | quarta-feira | quinta-feira | sexta-feira | sábado | domingo | semana | mês | dia | agora | mais tarde
            | assim que | outro | outra | depende | pois
            | não estou autorizado | não estou autorizada | não tenho autorização | não tenho permissão""",
        Kind.BECAUSE: "porque | já que | até que | sem | devido | por falta",
        Kind.EACH: "ambos | ambas | para ambos | os dois | as duas | a ambos | tudo | todos | para todos | a todos",
        Kind.FIRST: "primeira | o primeiro | a primeira | 1ª",
        Kind.SECOND: "segundo | segunda | o segundo | a segunda | 2ª",
        Kind.THIRD: "terceiro | terceira | o terceiro | a terceira | 3ª",
    },
    nouns="reembolso pagamento pedido fatura solicitação transferência valor encomenda",
    lone="nunca jamais",
    denials="""de jeito nenhum | de forma alguma | de modo nenhum | de maneira nenhuma | nem pensar | melhor não
        | prefiro que não""",
    sign_offs="""abraço | abraços | abs | atenciosamente | cumprimentos | com os melhores cumprimentos | att
        | obrigado | obrigada | cordialmente""",
    has_negating_no=True,
)

ROMANCE: tuple[Language, ...] = (_FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE)
